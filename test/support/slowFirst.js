const { basename } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * The files of the relay suite and of the end-to-end suite that take long for their size, in this order. On a clean clone
 * jest knows no times and starts the files by their sizes, and a small file that takes long would run alone at the end.
 */
const SLOW = [
	...['page', 'kills', 'faults', 'move', 'diskFull', 'random', 'pageLayout', 'delivery', 'securityOutput', 'space'],
	...['outage', 'zapPairs', 'trapsOfTheFolder', 'ingest', 'clock'],
	...['relayReceivers', 'reply-to-inbound-sms', 'site', 'dev'],
];

module.exports = class extends Sequencer {
	/**
	 * @override
	 * @param {import('@jest/test-result').Test[]} tests
	 */
	async sort(tests) {
		/** @param {{ path: string }} test */
		const placeOf = ({ path }) => {
			const place = SLOW.indexOf(basename(path, '.test.ts'));
			return place === -1 ? SLOW.length : place;
		};
		return (await super.sort(tests)).sort((one, other) => placeOf(one) - placeOf(other));
	}
};
