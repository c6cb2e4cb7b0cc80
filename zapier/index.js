'use strict';

/** Entry point for Zapier: the bundle that `npm run zapier:build` makes. */
module.exports = require('./dist/app.js').app;
