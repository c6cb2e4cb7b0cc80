import { typedAddress } from '../../../shared';

const ama = 'ama@example.com';

it.each<[unknown, string]>([
	[` ${ama}\n`, ama],
	['Ama Mensah <ama@example.com>', ama],
	['"Mensah, Ama" <ama@example.com>', ama],
	['<ama@example.com>', ama],
	['mailto:ama@example.com', ama],
	['Ama <mailto:ama@example.com>', ama],
	['ama@example.com,', ama],
	['ama@example.com; ', ama],
	[[ama], ama],
	[[ama, ''], ama],
	[{ address: ama, name: 'Ama' }, ama],
	[{ value: [{ address: ama, name: 'Ama' }], text: 'Ama <ama@example.com>', html: '<span>' }, ama],
	[{ emailAddress: { name: 'Ama', address: ama } }, ama],
	[{ email: ama }, ama],
	[[ama, 'kofi@example.com'], 'ama@example.com, kofi@example.com'],
	['Ama\r\nBcc: kofi@example.com <ama@example.com>', 'Ama\r\nBcc: kofi@example.com <ama@example.com>'],
	[{ name: 'Ama' }, ''],
	[null, ''],
])('reads the email address %j as %j', (typed, address) => {
	expect(typedAddress(typed)).toBe(address);
});

it('stops at lists that are nested too deep', () => {
	let nested: unknown = ama;
	for (let depth = 0; depth < 100_000; depth++) nested = [nested];
	expect(typedAddress(nested)).toBe('');
});
