import { badge } from './badge.js';
import { control } from './call.js';
import { field, form } from './form.js';
import { formatAmount, formatCount, formatWord } from './format.js';
import { make } from './make.js';
import { tellNews } from './news.js';
import { card, hint } from './section.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

/** Filling the wallet by the checkout, and buying packages. */
export const topUps = {
	title: 'Top-ups',
	kinds: ['top_ups', 'packages', 'clock'],
	open() {
		const made = make('p', { class: 'done', role: 'status' });
		const creating = form({
			fields: [
				field({
					name: 'amount',
					label: 'Credit to add',
					kind: 'number',
					required: true,
					value: 20,
					hint: 'Ending in .01 it fails, in .02 it is left, in .03 it never completes',
					attributes: { min: 0 },
				}),
				field({
					name: 'return_url',
					label: 'Go back to',
					kind: 'url',
					hint: 'Optional, an https:// address',
					attributes: { placeholder: 'https://' },
				}),
			],
			action: 'Create a top-up',
			keep: true,
			submit: async (values) => {
				made.replaceChildren();
				const { reference } = await control('POST', 'top-ups', values);
				await refresh();
				made.replaceChildren('It waits to be paid. ', checkoutLink(reference, 'Open the checkout'));
			},
		});
		const buying = form({
			fields: [
				field({
					name: 'credits',
					label: 'Credits',
					kind: 'number',
					required: true,
					value: 100,
					hint: 'One pays for one part of an SMS, before the balance is touched',
					attributes: { min: 1, step: 1 },
				}),
			],
			action: 'Add a package',
			layout: 'line',
			keep: true,
			submit: async (values) => {
				await control('POST', 'packages', values);
				tellNews(`${formatCount(values.credits)} credits were added`);
				await refresh();
			},
		});
		const list = table({
			caption: 'Top-ups',
			keyOf: ({ reference }) => reference,
			columns: [
				{ title: 'Reference', lead: true, draw: ({ reference }) => make('span', { class: 'code' }, reference) },
				{ title: 'Status', draw: ({ status }) => badge(status) },
				{ title: 'Credit', number: true, draw: ({ amount }) => formatAmount(amount) },
				{ title: 'Fee', number: true, draw: ({ fee }) => formatAmount(fee) },
				{ title: 'Paid by', draw: ({ method }) => (method ? formatWord(method) : '–') },
				{ title: 'Created', draw: ({ created_at }) => time(created_at) },
				{ title: 'Actions', hideTitle: true, draw: drawCheckout },
			],
			empty: emptyState('No top-ups yet', 'Create one above and pay it at the checkout: no real money moves.'),
		});
		const packages = table({
			caption: 'Packages',
			keyOf: ({ id }) => id,
			columns: [
				{ title: 'Package', lead: true, draw: ({ name }) => name },
				{ title: 'Credits left', number: true, draw: (one) => formatCount(one.credits_left) },
				{ title: 'Of', number: true, draw: ({ credits }) => formatCount(credits) },
				{ title: 'Added', draw: ({ created_at }) => time(created_at) },
			],
			empty: emptyState('No packages', 'Every message is paid from the balance.'),
		});

		async function refresh() {
			const [all, bought] = await Promise.all([control('GET', 'top-ups'), control('GET', 'packages')]);
			list.show(all.toSorted((one, other) => other.created_at.localeCompare(one.created_at)));
			packages.show(bought);
		}
		return {
			element: make(
				'div',
				{},
				make(
					'div',
					{ class: 'columns even' },
					card(
						'Top up',
						hint('As your program would: a link to a checkout, paid by card or mobile money.'),
						creating.element,
						made,
					),
					card('Package credits', buying.element, packages.element),
				),
				make('h2', { class: 'list-title' }, 'Top-ups so far'),
				list.element,
			),
			refresh,
		};
	},
};

function drawCheckout({ reference, status, method }) {
	return status === 'pending' && method === null ? checkoutLink(reference, 'Pay', `Pay ${reference}`) : '';
}

function checkoutLink(reference, words, label) {
	const href = `/checkout/${encodeURIComponent(reference)}`;
	return make(
		'a',
		{ href, target: '_blank', rel: 'noopener', class: 'button small', 'aria-label': label ?? false },
		words,
	);
}
