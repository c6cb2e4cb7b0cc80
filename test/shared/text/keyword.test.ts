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
		...['ARRET', 'Arrêt', 'ARRE\u0302T', 'arrêter', 'désabonner', 'Désinscrire'],
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
		...['nonstop', 'quite', 's top', 'start now', 'I need help', 'STOP 1', 'STOP2END', 'stop/start', 'don’t stop'],
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

describe('plainStop', () => {
	it.each([
		['Stop.', 'STOP'],
		['(STOP)', 'STOP'],
		['un-subscribe!', 'UNSUBSCRIBE'],
		['stop', undefined],
		[' Unsubscribe ', undefined],
		['cancel!', undefined],
		['stop it', undefined],
	])('for the message %j, finds the stop word %j', (message, word) => {
		expect(plainStop(message)).toBe(word);
	});
});
