// 3GPP TS 23.038 (GSM 03.38), 6.2.1. Only capital Ç, as in the standard; some published tables list a small one.
const basicTable =
	'@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
	'¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

// 3GPP TS 23.038, 6.2.1.1: each is sent as an escape and a second septet.
const extensionTable = '\f^{}\\[~]|€';

/**
 * Septets of a UTF-16 code unit in GSM-7: 1 in the basic table, 2 in the extension table, 0 in neither. Covers every code
 * unit, so a lookup needs no bounds check.
 */
export const gsm7Septets: Readonly<Uint8Array> = tabulate();

function tabulate(): Uint8Array {
	const septets = new Uint8Array(0x10000);
	for (const character of basicTable) septets[character.charCodeAt(0)] = 1;
	for (const character of extensionTable) septets[character.charCodeAt(0)] = 2;
	return septets;
}
