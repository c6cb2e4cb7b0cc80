/**
 * Cuts a text between its characters, so that no half of an emoji is left. Half of one cannot be stored or sent.
 * @param most UTF-16 code units, as `length` counts them
 */
export function cutText(text: string, most: number): string {
	let kept = '';
	for (const character of text) {
		if (kept.length + character.length > most) break;
		kept += character;
	}
	return kept;
}
