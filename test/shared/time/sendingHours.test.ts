import { readSendingHours, type GivenSendingHours } from '../../../shared/time/readSendingHours';
import { clockText, nextSendingTime, type SendingHours } from '../../../shared/time/sendingHours';

const ghana: GivenSendingHours = {
	from: '08:00',
	until: '19:00',
	days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
	timeZone: 'Africa/Accra',
	holidays: ['2026-12-25', '2026-12-26'],
};
const everyDay = [...ghana.days, 'sunday'];
const open = (more: Partial<GivenSendingHours> = {}): SendingHours => {
	const hours = readSendingHours({ ...ghana, ...more });
	if (!hours.ok) throw new Error(`${hours.field} ${hours.message}`);
	return hours;
};
const next = (moment: string, more: Partial<GivenSendingHours> = {}) => {
	const found = nextSendingTime(open(more), Date.parse(moment));
	return found.ok ? [found.inside, new Date(found.instant).toISOString()] : [found.field];
};

describe('the next time to send', () => {
	it.each<[string, string, boolean, string]>([
		['at the first second', '2026-11-23T08:00:00.000Z', true, '2026-11-23T08:00:00.000Z'],
		['in the last millisecond', '2026-11-23T18:59:59.999Z', true, '2026-11-23T18:59:59.999Z'],
		['at the closing time', '2026-11-23T19:00:00.000Z', false, '2026-11-24T08:00:00.000Z'],
		['before the opening time', '2026-11-23T07:59:59.500Z', false, '2026-11-23T08:00:00.000Z'],
		['on a Saturday evening', '2026-11-28T20:15:00.000Z', false, '2026-11-30T08:00:00.000Z'],
		['on a Sunday', '2026-11-29T12:00:00.000Z', false, '2026-11-30T08:00:00.000Z'],
		['before holidays and a Sunday', '2026-12-24T19:30:00.000Z', false, '2026-12-28T08:00:00.000Z'],
	])('%s in Accra', (_, moment, inside, expected) => {
		expect(next(moment)).toEqual([inside, expected]);
	});

	it.each<[string, string, Partial<GivenSendingHours>, string]>([
		['a zone with half an hour', '2026-11-23T00:00:00Z', { timeZone: 'Asia/Kolkata' }, '2026-11-23T02:30:00.000Z'],
		['a zone with three quarters', '2026-11-23T00:00:00Z', { timeZone: 'Asia/Kathmandu' }, '2026-11-23T02:15:00.000Z'],
		[
			'a day that is over elsewhere',
			'2026-11-28T22:00:00Z',
			{ timeZone: 'Pacific/Auckland' },
			'2026-11-29T19:00:00.000Z',
		],
		// Clocks in New York go from 02:00 to 03:00 on Sunday, 14 March 2027.
		[
			'a start that clocks skip',
			'2027-03-14T05:00:00Z',
			{ timeZone: 'America/New_York', from: '02:30', until: '04:00', days: ['sunday'] },
			'2027-03-14T07:00:00.000Z',
		],
		[
			'a window that clocks skip',
			'2027-03-14T05:00:00Z',
			{ timeZone: 'America/New_York', from: '02:10', until: '02:50', days: ['sunday'] },
			'2027-03-21T06:10:00.000Z',
		],
		// Clocks in New York go from 02:00 back to 01:00 on Sunday, 7 November 2027, at 06:00 UTC.
		[
			'the second time that clocks show the start',
			'2027-11-07T05:30:00Z',
			{ timeZone: 'America/New_York', from: '01:15', until: '01:30', days: everyDay },
			'2027-11-07T06:15:00.000Z',
		],
		[
			'clocks that go back into the window',
			'2027-11-07T05:45:00Z',
			{ timeZone: 'America/New_York', from: '00:30', until: '01:30', days: everyDay },
			'2027-11-07T06:00:00.000Z',
		],
		['a window until midnight', '2026-11-23T23:59:00Z', { from: '23:00', until: '24:00' }, '2026-11-23T23:59:00.000Z'],
	])('%s', (_, moment, more, expected) => {
		expect(next(moment, more)[1]).toBe(expected);
	});

	it('a year of holidays leaves no time to send', () => {
		const day = (index: number) => new Date(Date.UTC(2026, 10, 23 + index)).toISOString().slice(0, 10);
		const holidays = Array.from({ length: 400 }, (_, index) => day(index));
		const found = nextSendingTime(open({ holidays }), Date.UTC(2026, 10, 23, 12));
		expect(found).toMatchObject({ ok: false, field: 'holidays' });
	});

	it('the text of a moment has day, date, time and zone', () => {
		const text = clockText(open({ timeZone: 'Africa/Lagos' }), Date.UTC(2026, 10, 28, 20, 15));
		expect(text).toBe('Saturday 2026-11-28 21:15 (Africa/Lagos)');
	});
});

describe('sending hours that cannot be used', () => {
	it.each<[string, Partial<GivenSendingHours>, string]>([
		['an empty start', { from: ' ' }, 'from'],
		['words as the start', { from: '8 am' }, 'from'],
		['a start at the end of the day', { from: '24:00' }, 'from'],
		['an hour that does not exist', { from: '08:60' }, 'from'],
		['an end after midnight', { until: '25:00' }, 'until'],
		['an empty end', { until: '' }, 'until'],
		['an end before the start', { from: '19:00', until: '08:00' }, 'until'],
		['an end at the start', { until: '08:00' }, 'until'],
		['no day', { days: [] }, 'days'],
		['a day that does not exist', { days: ['monday', 'fryday'] }, 'days'],
		['an unknown time zone', { timeZone: 'Africa/Akra' }, 'timeZone'],
		['no time zone', { timeZone: '' }, 'timeZone'],
		['a holiday that does not exist', { holidays: ['2027-02-29'] }, 'holidays'],
		['a holiday in another format', { holidays: ['25/12/2026'] }, 'holidays'],
		['a holiday with a time', { holidays: ['2026-12-25T00:00:00Z'] }, 'holidays'],
	])('%s is a problem of its field, with the next step', (_, more, field) => {
		const read = readSendingHours({ ...ghana, ...more });
		expect(read).toMatchObject({ ok: false, field });
		expect('message' in read && read.message).toMatch(/^(is|are|contain) .*: \w/);
	});

	it.each<[Partial<GivenSendingHours>]>([
		[{ from: '8:00' }],
		[{ from: ' 08:00:00 ' }],
		[{ until: '24:00' }],
		[{ days: ['MONDAY', ' Sunday '] }],
		[{ timeZone: '+01:00' }],
		[{ holidays: ['2020-01-01'] }],
	])('%j is accepted', (more) => {
		expect(readSendingHours({ ...ghana, ...more }).ok).toBe(true);
	});
});
