'use strict';
// Entry of every thread, as a CommonJS module: the pool requires it, and a thread that is ended while it requires an ES
// module ends the whole process (seen with Node 20.20). Here the ES module is imported.
const { workerData } = require('node:worker_threads');

module.exports = import(workerData.thread).then((module) => module.default);
