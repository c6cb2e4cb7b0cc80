import { contactChoices } from '../../../shared';

describe('the choices of contacts', () => {
	it('shows a number that several contacts share once, with all their names', () => {
		const shared = [
			{ name: 'Shop', phone: '+233201234563' },
			{ name: ' Kofi at the shop ', phone: ' +233201234563 ' },
			{ name: 'Shop', phone: '+233201234563' },
			{ phone: '+233201234563' },
		];
		expect(contactChoices(shared)).toEqual([
			{ phone: '+233201234563', label: 'Shop / Kofi at the shop (+233201234563)' },
		]);
	});

	it('shows two contacts with the same name separately, sorted by label', () => {
		const namesakes = [
			{ name: 'esi', phone: '+233241234567' },
			{ name: 'Kofi', phone: '+233201234563' },
			{ name: 'Ama', phone: '+233201234562' },
			{ name: 'Ama', phone: '+233201234561' },
		];
		expect(contactChoices(namesakes).map(({ phone }) => phone)).toEqual([
			'+233201234561',
			'+233201234562',
			'+233241234567',
			'+233201234563',
		]);
	});

	it('shows the number alone if the contact has no name', () => {
		const label = '+233271234567';
		expect(contactChoices([{ name: '  ', phone: label }])).toEqual([{ phone: label, label }]);
	});

	it('leaves out contacts without a number', () => {
		expect(contactChoices([{ name: 'Ama' }, { name: 'Kofi', phone: '  ' }, { name: null, phone: null }])).toEqual([]);
	});
});
