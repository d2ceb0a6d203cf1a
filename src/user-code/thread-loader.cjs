'use strict';
// Entry of every thread, in the old kind of module: the pool requires it, and a thread that is ended while it requires a
// new one ends the whole process (seen with Node 20.20). Here that one is imported.
const { workerData } = require('node:worker_threads');

module.exports = import(workerData.thread).then((module) => module.default);
