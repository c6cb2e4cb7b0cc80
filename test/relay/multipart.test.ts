import { parseMultipart } from '../../relay/events/multipart';

const type = 'multipart/form-data; boundary=x';
const part = (head: string, text: Buffer | string) =>
	Buffer.concat([
		Buffer.from(`--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
		Buffer.from(text),
		Buffer.from('\r\n'),
	]);
const body = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from('--x--\r\n')]);
const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('parseMultipart', () => {
	it('keeps a replacement character that the sender wrote in UTF-8', async () => {
		expect(await parseMultipart(type, body(part('name="message"', 'café \ufffd 👋')))).toEqual({
			message: 'café \ufffd 👋',
		});
	});

	it('decodes each text on its own, beside a text in windows-1252 and a file', async () => {
		const parts = [
			part('name="to"', 'Café'),
			part('name="message"', latin1('Arrêt')),
			part('name="file"; filename="a.jpg"', Buffer.from([0xff, 0xd8, 0xff, 0x81])),
			part('name="zurück"', '1'),
			part('name="zurück"', '2'),
		];
		expect(await parseMultipart(type, body(...parts))).toEqual({ to: 'Café', message: 'Arrêt', zurück: ['1', '2'] });
	});

	it('reads nothing of another type, and nothing of a damaged body', async () => {
		expect(await parseMultipart('application/json', Buffer.from('{}'))).toBeUndefined();
		expect(await parseMultipart(type, Buffer.from('--x\r\nContent-Disp'))).toBeUndefined();
	});
});
