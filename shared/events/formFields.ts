/** The name of UTF-8, as `TextDecoder` has it. */
export const UTF_8 = 'utf-8';

/**
 * The fields of a form, with a list where a name repeats.
 * @example groupFields([['to', '1'], ['to', '2'], ['from', '3']]) // { to: ['1', '2'], from: '3' }
 */
export function groupFields(fields: Iterable<readonly [string, string]>): Record<string, string | string[]> {
	const values = new Map<string, string[]>();
	for (const [name, value] of fields) {
		const known = values.get(name);
		if (known) known.push(value);
		else values.set(name, [value]);
	}
	return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]));
}

/**
 * Makes a function that decodes the texts of a body, each on its own, so one bad text does not spoil the others.
 * @param charset the declared one. Many senders declare UTF-8 or nothing and write windows-1252, so that is tried too
 * @param isEncoded whether the texts were percent-encoded. Most senders percent-encode UTF-8, whatever they declare
 * @returns the function; it returns undefined for bytes that are not in the character set, or if that is unknown
 * @example textDecoder()(new Uint8Array([0x41, 0x72, 0x72, 0xea, 0x74])) // 'Arrêt'
 */
export function textDecoder(charset = UTF_8, isEncoded = false): (bytes: Uint8Array) => string | undefined {
	const declared = decoderOf(charset);
	if (declared === undefined) return () => undefined;
	const decoders = [declared];
	if (charset === UTF_8) decoders.push(new TextDecoder('windows-1252'));
	// A text with one byte for each character is hardly ever UTF-8 by accident. Others may be.
	if (isEncoded && SINGLE_BYTES.test(declared.encoding)) decoders.unshift(new TextDecoder(UTF_8, FATAL));
	return (bytes) => {
		for (const decoder of decoders) {
			try {
				return decoder.decode(bytes);
			} catch {
				// Another character set may fit.
			}
		}
		return undefined;
	};
}

const FATAL = { fatal: true };

const SINGLE_BYTES = /^(windows|iso-8859|koi8|ibm|macintosh|x-mac)/;

function decoderOf(charset: string): TextDecoder | undefined {
	try {
		return new TextDecoder(charset, FATAL);
	} catch {
		return undefined;
	}
}
