const SHEET_ERROR = /^#(ERROR!|N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|SPILL!|CALC!)$/i;

/**
 * Whether a text is the error that a cell of Google Sheets or Excel shows instead of its value.
 * @example isSheetError('#N/A') // true
 */
export function isSheetError(text: string): boolean {
	return SHEET_ERROR.test(text.trim());
}
