const { default: Sequencer } = require('@jest/test-sequencer');

/** The longest files, as jest cannot know in a fresh clone. One of them alone at the end would leave a core idle. */
const longest = ['clone', 'buildZip', 'programs', 'releasePack', 'site', 'version'];

/** Starts the longest files first. */
module.exports = class extends Sequencer {
	/**
	 * @override
	 * @param {import('@jest/test-result').Test[]} tests
	 */
	sort(tests) {
		/** @param {import('@jest/test-result').Test} test */
		const place = ({ path }) => {
			const index = longest.findIndex((name) => path.endsWith(`/${name}.test.ts`));
			return index < 0 ? longest.length : index;
		};
		return [...tests].sort((one, other) => place(one) - place(other));
	}
};
