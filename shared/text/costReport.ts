import { estimate, type EstimateProblem, type Price } from './estimate';
import { segments } from './segments';
import { cheaperSpelling, plainLetters } from './spelling';

/** The size and the cost of a message to some recipients. */
export interface CostReport {
	/** Billed segments of one message. */
	readonly segment_count: number;
	readonly recipients: number;
	readonly total_segments: number;
	readonly encoding: 'GSM-7' | 'UCS-2';
	readonly characters: number;
	/** Characters that still fit into the last segment. Some, such as `€` and most emoji, take two. */
	readonly remaining_characters: number;
	/** The characters that GSM-7 does not have, with spaces between; they make a message more expensive. */
	readonly non_gsm_characters: string;
	/** The same message in fewer segments; null if there is none. */
	readonly cheaper_message: string | null;
	/** Segments that the cheaper message saves, for all recipients. */
	readonly segments_saved: number;
	/** The message with plain letters for those of Twi and Ewe, such as e for ɛ; null if that saves nothing. */
	readonly plain_letters_message: string | null;
	/** Segments that plain letters save, for all recipients. */
	readonly plain_letters_segments_saved: number;
	/** In currency units, with plain letters; only if a price is known and plain letters save segments. */
	readonly plain_letters_cost?: number;
	/** In currency units; only if a price is known, as the next one. */
	readonly cost?: number;
	readonly price_per_segment?: number;
	/** Where the price comes from, and what it leaves out; or the reason why there is no cost. */
	readonly cost_basis: string;
}

const NO_PRICE = 'There is no cost, because no price was given. Enter a price per segment to get one.';

/**
 * Reports the size and the cost of a message, with a cheaper spelling and with plain letters if there are such.
 * @param price undefined if it is not known: the report then has no cost
 * @example
 * const read = costReport('We are open', 200, { perSegment: 0.05 });
 * if (read.ok) console.log(read.report.cost); // 10
 */
export function costReport(
	text: string,
	recipients: number,
	price: Price | undefined,
): { readonly ok: true; readonly report: CostReport } | EstimateProblem {
	// The counts are checked with any price.
	const estimated = estimate({ text, recipients, price: price ?? { perSegment: 0 } });
	if (!estimated.ok) return estimated;
	const { segment_count, encoding, characters, units_left, ucs2_characters } = segments(text);
	const { total_segments, cost, price_per_segment, cost_basis } = estimated;
	const cheaper = cheaperSpelling(text);
	const plain = plainLetters(text);
	const plainCost = plain && price && estimate({ text: plain.text, recipients, price });
	const report = {
		segment_count,
		recipients,
		total_segments,
		encoding,
		characters,
		remaining_characters: units_left,
		non_gsm_characters: ucs2_characters.map(({ character }) => character).join(' '),
		cheaper_message: cheaper?.text ?? null,
		segments_saved: (cheaper?.segments_saved ?? 0) * recipients,
		plain_letters_message: plain?.text ?? null,
		plain_letters_segments_saved: (plain?.segments_saved ?? 0) * recipients,
		...(plainCost?.ok && { plain_letters_cost: plainCost.cost }),
		...(price ? { cost, price_per_segment, cost_basis } : { cost_basis: NO_PRICE }),
	};
	return { ok: true, report };
}
