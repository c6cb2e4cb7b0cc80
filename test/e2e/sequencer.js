const { basename } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** The files that take long for their size, because they start n8n or build the site. */
const LONG = ['relayReceivers', 'reply-to-inbound-sms', 'site', 'dev'];

/** Starts these files first. On a clean clone, jest starts the largest files first, and then a long one would end alone. */
module.exports = class extends Sequencer {
	/**
	 * @override
	 * @param {import('@jest/test-result').Test[]} tests
	 */
	async sort(tests) {
		const sorted = await super.sort(tests);
		/** @param {import('@jest/test-result').Test} test */
		const isLong = ({ path }) => LONG.includes(basename(path, '.test.ts'));
		return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
	}
};
