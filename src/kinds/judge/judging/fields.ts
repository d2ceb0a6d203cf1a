/*
 * Fields that no criterion may be named after. They are apart from the schema: workflows need them, and with it they
 * would load what checks configs.
 */

/** Field that holds a step's error in place of its scores. */
export const ERROR_FIELD = 'error';
/** Field of the last step's verdict, beside the criteria, for the verdict on the whole episode. */
export const EPISODE_FIELD = 'whole_episode';
