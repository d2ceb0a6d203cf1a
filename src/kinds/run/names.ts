/** Type of the workflow of a bundle of lanes, which is run in a worker's process. */
export const LANES = 'lanes';

/** Update of a run: a bundle reports, and is dealt further lanes. */
export const DEAL_LANES = 'dealLanes';

/** Query of a run: how a bundle is to go on. */
export const LANE_ORDERS = 'laneOrders';
