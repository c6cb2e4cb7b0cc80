/**
 * Replaces the digits of other scripts, such as Arabic or Bengali, by 0 to 9.
 * @example asciiDigits('٠٢٠') // '020'
 */
export function asciiDigits(text: string): string {
	return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
		const code = digit.codePointAt(0) ?? 0;
		let zero = code;
		// Unicode has the ten digits of a script in order. Mathematical digits are five such tens in a row.
		while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
		return String((code - zero) % 10);
	});
}
