import { walletCurrency } from './access.js';
import { badge } from './badge.js';
import { control } from './call.js';
import { field, form } from './form.js';
import { formatAmount, formatCount, formatWord } from './format.js';
import { make } from './make.js';
import { showToast } from './toast.js';
import { card, hint } from './section.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

/** Top-ups through the checkout, and packages. */
export const topUps = {
	title: 'Top-ups',
	kinds: ['top_ups', 'packages', 'clock'],
	open() {
		const made = make('p', { class: 'done', role: 'status' });
		const creating = form({
			fields: [
				field({
					name: 'amount',
					label: `Credit to add (${walletCurrency})`,
					kind: 'number',
					required: true,
					value: 20,
					hint: 'Amounts ending in .01 fail, .02 are abandoned, .03 stay pending.',
					attributes: { min: 0 },
				}),
				field({
					name: 'return_url',
					label: 'Return URL',
					kind: 'url',
					hint: 'Optional. Must start with https://',
					attributes: { placeholder: 'https://' },
				}),
			],
			action: 'Create a top-up',
			keep: true,
			submit: async (values) => {
				made.replaceChildren();
				const { reference } = await control('POST', 'top-ups', values);
				await refresh();
				made.replaceChildren('The top-up is pending. ', checkoutLink(reference, 'Open the checkout'));
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
					hint: 'One credit pays for one SMS segment. Credits are used before the balance.',
					attributes: { min: 1, step: 1 },
				}),
			],
			action: 'Add a package',
			layout: 'line',
			keep: true,
			submit: async (values) => {
				await control('POST', 'packages', values);
				showToast(`Credits added: ${formatCount(values.credits)}`);
				await refresh();
			},
		});
		const list = table({
			caption: 'Top-ups',
			keyOf: ({ reference }) => reference,
			columns: [
				{ title: 'Reference', lead: true, draw: ({ reference }) => make('span', { class: 'code' }, reference) },
				{ title: 'Status', draw: ({ status }) => badge(status) },
				{ title: `Credit (${walletCurrency})`, number: true, draw: ({ amount }) => formatAmount(amount) },
				{ title: `Fee (${walletCurrency})`, number: true, draw: ({ fee }) => formatAmount(fee) },
				{ title: 'Paid by', draw: ({ method }) => (method ? formatWord(method) : '–') },
				{ title: 'Created', draw: ({ created_at }) => time(created_at) },
				{ title: 'Actions', hideTitle: true, draw: drawCheckout },
			],
			empty: emptyState('No top-ups yet', 'Create one above and pay it at the checkout. No real money moves.'),
		});
		const packages = table({
			caption: 'Packages',
			keyOf: ({ id }) => id,
			columns: [
				{ title: 'Package', lead: true, draw: ({ name }) => name },
				{ title: 'Credits left', number: true, draw: (one) => formatCount(one.credits_left) },
				{ title: 'Bought', number: true, draw: ({ credits }) => formatCount(credits) },
				{ title: 'Added', draw: ({ created_at }) => time(created_at) },
			],
			empty: emptyState('No packages', 'Messages are paid from the balance.'),
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
						hint('Creates a checkout link, as your program would. Pay by card or mobile money.'),
						creating.element,
						made,
					),
					card('Package credits', buying.element, packages.element),
				),
				make('h2', { class: 'list-title' }, 'All top-ups'),
				list.element,
			),
			refresh,
		};
	},
};

function drawCheckout({ reference, status, method }) {
	return status === 'pending' && method === null ? checkoutLink(reference, 'Pay', `Pay ${reference}`) : '';
}

function checkoutLink(reference, text, label) {
	const href = `/checkout/${encodeURIComponent(reference)}`;
	return make(
		'a',
		{ href, target: '_blank', rel: 'noopener', class: 'button small', 'aria-label': label ?? false },
		text,
	);
}
