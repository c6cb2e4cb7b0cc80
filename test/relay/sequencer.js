const { basename } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * The files that take longest, in this order. On a clean clone jest knows no times and starts the files by their sizes, and a
 * small file that takes long would run alone at the end.
 */
const SLOW = [
	'page',
	'kills',
	'faults',
	'move',
	'diskFull',
	'random',
	'pageLayout',
	'delivery',
	'securityOutput',
	'space',
	'outage',
	'zapPairs',
	'trapsOfTheFolder',
	'ingest',
	'clock',
];

module.exports = class extends Sequencer {
	/**
	 * @override
	 * @param {Parameters<InstanceType<typeof Sequencer>['sort']>[0]} tests
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
