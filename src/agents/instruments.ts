/** What the bundler puts into the code of users' agents. */
export { dropped, droppedCalls, kept, keptCalls } from './promises.js';
export { resumed, round } from './rounds.js';
