import { SegmentedMessage } from 'sms-segments-calculator';
import { split } from 'split-sms';
import { countSegments } from '../../shared/text/countSegments';
import { segments } from '../../shared/text/segments';

/**
 * Compares the speed of our segment count with the two libraries of its tests, with the same texts in one run.
 * `countSegments()` does the same as the libraries. `segments()` also names the characters that force UCS-2, unlike
 * split-sms. Run: `npm run bench`. Compare the ratios: operations per second depend on the machine.
 */
const texts: Readonly<Record<string, string>> = {
	'one-time code, 42 characters': 'Your KOFISHOP code is 482913. Do not share',
	'reminder, GSM-7, 3 parts':
		'Dear Ama, your order no. 1024 is ready at our Osu branch, open 8 to 18. Thank you! '.repeat(5),
	'GSM-7 with brackets and euro': 'Total [incl. VAT] €12.50 {ref ~A|B} thank you. '.repeat(9),
	'one cedi sign, 3 parts': `${'Your balance is low, top up today and keep talking with us. '.repeat(3)}GH₵50 ok`,
	'Twi, 4 parts': 'Yɛda mo ase pii. Mo nneɛma no aba, momfa no ɔkyena anɔpa. '.repeat(4),
	'emoji, 3 parts': 'Happy birthday! 🎂🎉 Enjoy 10% off today 👩‍👩‍👧 only. '.repeat(4),
	'Arabic, 5 parts': 'شكرا لك على طلبك، سنتصل بك غدا صباحا. '.repeat(8),
};

type Work = (text: string) => unknown;
const own: Readonly<Record<string, Work>> = { countSegments, segments };
const libraries: Readonly<Record<string, Work>> = {
	'split-sms': (text) => split(text, { summary: true }),
	'sms-segments-calculator': (text) => new SegmentedMessage(text).segmentsCount,
};

/** Operations per second: the best of several short rounds, because other load only makes a round slower. */
function measure(work: Work, text: string): number {
	let best = 0;
	for (let round = 0; round < 9; round++) {
		const start = performance.now();
		let operations = 0;
		let elapsed = 0;
		do {
			for (let repeat = 0; repeat < 20; repeat++) work(text);
			operations += 20;
			elapsed = performance.now() - start;
		} while (elapsed < 25);
		best = Math.max(best, (operations / elapsed) * 1000);
	}
	return best;
}

const all = Object.entries({ ...own, ...libraries });
// All contenders process all texts before the measurement, so none has an advantage.
for (const [, work] of all) for (const text of Object.values(texts)) measure(work, text);

const ratios: Record<string, number[]> = {};
for (const [name, text] of Object.entries(texts)) {
	const rates = new Map(all.map(([contender, work]) => [contender, measure(work, text)]));
	const fastest = Math.max(...Object.keys(libraries).map((library) => rates.get(library) ?? 0));
	console.log(name);
	for (const [contender, rate] of rates) {
		const ratio = rate / fastest;
		if (contender in own) (ratios[contender] ??= []).push(ratio);
		console.log(
			`  ${contender.padEnd(24)} ${ratio.toFixed(2).padStart(7)}x  ${String(Math.round(rate)).padStart(9)}/s`,
		);
	}
}
for (const [contender, list] of Object.entries(ratios)) {
	const mean = Math.exp(list.reduce((sum, ratio) => sum + Math.log(ratio), 0) / list.length);
	const lowest = Math.min(...list).toFixed(1);
	console.log(`${contender}: at least ${lowest}x the faster library, ${mean.toFixed(1)}x on average (geometric)`);
}
