import { keyword, plainStop } from '../../../shared/text/keyword';

describe('keyword', () => {
	it.each([
		...['STOP', 'stop', ' Stop. ', 'STOP!!', '"Stop"', '“stop”', '(STOP)', 'S.T.O.P.', 'stop\n', 'stop 🙏', 'ＳＴＯＰ'],
		...[
			'st\u00adop',
			'stop\u200b',
			'stopall',
			'Stop all',
			'STOP-ALL',
			'UNSUBSCRIBE',
			'unsubscribe.',
			'Unsub',
			'cancel',
		],
		...['END', 'Quit', 'REVOKE', 'optout', 'Opt out', 'opt-out', 'OPT\u00a0 OUT', 'remove', 'Remove me'],
		...['ARRET', 'Arrêt', 'ARRE\u0302T', 'arrêter', 'désabonner', 'Désinscrire', 'Désabonnez-moi', 'STOP SMS'],
		...[
			'EXIT',
			'exit.',
			'Exit please',
			'STOP PLS',
			'Stop plz!',
			'please stop',
			'STOP, thanks',
			'Stop SVP',
			'Stop, S.V.P.',
			'Pls. Stop. Thx',
		],
		...['stop stop stop', 'STOP!STOP!', 'Stop now', 'Text STOP', 'ST0P', 'stopp', 'BAJA', 'alto', 'baja por favor'],
		...[
			'Darme de baja',
			'Cancelar suscripción',
			'Salir',
			'Arrêt SMS',
			'se désinscrire',
			'STOP MSG',
			'Stop txt pls',
			'Stop sending me messages',
			'Pls remove my number',
			'No más mensajes',
			'ÚNSUBSCRİBE',
			'unsubscrıbe',
			'𝐒𝐓𝐎𝐏',
			'Ⓢⓣⓞⓟ',
			'SТОР',
			'ΕΧΙΤ',
			'Ѕтор',
			'S\u200bT\u2060OP ❤️',
		],
	])('recognizes %j as stop', (message) => {
		expect(keyword(message)).toBe('stop');
	});

	it.each(['START', 'start!', 'Unstop', 'opt in', 'OPT-IN'])('recognizes %j as start', (message) => {
		expect(keyword(message)).toBe('start');
	});

	it.each(['HELP', 'help?', 'Info', 'aide', 'Aidé'])('recognizes %j as help', (message) => {
		expect(keyword(message)).toBe('help');
	});

	it.each([
		...['please stop by the shop', 'stop by', 'do not stop', 'stops', 'unstoppable', 'the end', 'cancel my order'],
		...['Stop by tomorrow', "please don't stop", 'Stop sending the invoices', 'Stop message me', 'salir a las 5'],
		...['nonstop', 'quite', 's top', 'start now', 'I need help', 'STOP 1', 'STOP2END', 'stop/start', 'don’t stop'],
		...[
			'cancel please',
			'END NOW',
			'remove pls',
			'exit the shop',
			'Where is the exit',
			'stop please call me',
			'quit smoking',
		],
		...[
			'please',
			'pls pls',
			'stop exit',
			'STOP KOFISHOP',
			'baja el precio',
			'alto ahí',
			'stop it',
			'стоп',
			`stop ${'please '.repeat(20)}`,
		],
		...['', '   ', '!!!', '🛑', 'yes', 'YES', 'oui', 'no', 'Ok', 'constructor', '__proto__'],
	])('recognizes no keyword in %j', (message) => {
		expect(keyword(message)).toBeUndefined();
	});

	it('recognizes YES as start only on request', () => {
		expect(keyword('Yes!', { yesIsStart: true })).toBe('start');
		expect(keyword('oui', { yesIsStart: true })).toBe('start');
		expect(keyword('yes please', { yesIsStart: true })).toBeUndefined();
		expect(keyword('stop', { yesIsStart: true })).toBe('stop');
	});

	const own = ['HOURS', 'price list', 'Info', 'CANCEL', 'café'];
	it.each([
		['hours!', 'HOURS'],
		['Price  List', 'price list'],
		['info', 'Info'],
		['CAFE', 'café'],
		['cancel', 'stop'],
		['help', 'help'],
		['hours please', undefined],
		['', undefined],
		['!!', undefined],
	])('recognizes %j as %j with custom keywords, which never come before STOP', (message, found) => {
		expect(keyword(message, { own })).toBe(found);
	});

	it('never matches an empty custom keyword', () => {
		expect(keyword('', { own: ['', '!'] })).toBeUndefined();
	});
});

describe('keyword with sender IDs', () => {
	const senders = ['KOFISHOP', 'Kofi & Ama', '1234', '+233302123456', 'PING', ''];

	it.each([
		...['STOP KOFISHOP', 'stop kofishop', 'Stop: KofiShop!', 'STOP Kofi Shop', 'STOPKOFISHOP', 'STOP-KOFISHOP pls'],
		...[
			'exit kofi&ama',
			'Stop kofi ama',
			'STOP 1234',
			'Arrêt Kofishop',
			'unsubscribe me kofishop',
			'pls stop KOFISHOP thanks',
		],
		...['STOP +233 302 123 456', 'opt out ping', 'Stop all kofishop'],
		...[
			'Unsubscribe from KOFISHOP',
			'Stop messages from Kofi Shop, please',
			'STOP FROM 1234',
			'STOP to KOFISHOP',
			'Stop to 1234',
		],
	])('recognizes %j as stop', (message) => {
		expect(keyword(message, { senders })).toBe('stop');
	});

	it.each([
		...['STOP AMASHOP', 'STOP KOFISHOP2', 'STOP KOFI', 'STOP 123', 'KOFISHOP', 'KOFISHOP STOP', 'stopping', 'stops'],
		...['cancel kofishop', 'END KOFISHOP', 'start kofishop', 'stop by kofishop', 'stop the kofishop', 'STOP 12345'],
		...['stop from', 'stop from amashop', 'STOPFROM KOFISHOP', 'stop to', 'Stop to Kofi Shop later'],
	])('recognizes no keyword in %j', (message) => {
		expect(keyword(message, { senders })).toBeUndefined();
	});
});

describe('plainStop', () => {
	it.each<[string, string | null, string | undefined]>([
		['Stop.', 'stop', 'STOP'],
		['un-subscribe!', 'stop', 'STOP'],
		['EXIT', 'stop', 'STOP'],
		['STOP KOFISHOP', 'stop', 'STOP'],
		['stop', 'stop', undefined],
		[' Unsubscribe ', 'stop', undefined],
		['stop it', null, undefined],
		['STOP KOFISHOP', null, undefined],
		['help', 'help', undefined],
	])('for the message %j with the keyword %j, gives %j', (message, found, word) => {
		expect(plainStop({ message, keyword: found })).toBe(word);
	});
});
