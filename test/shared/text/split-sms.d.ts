/** The part of split-sms that the tests use. The package has no types. */
declare module 'split-sms' {
	export function split(
		text: string,
		options?: { readonly summary?: boolean },
	): {
		readonly characterSet: 'GSM' | 'Unicode';
		readonly parts: readonly { readonly content?: string; readonly length: number; readonly bytes: number }[];
		readonly bytes: number;
		readonly length: number;
		readonly remainingInPart: number;
	};
}
