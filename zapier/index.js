'use strict';

/** What Zapier loads: the app as `npm run zapier:build` bundled it. */
module.exports = require('./dist/app.js').app;
