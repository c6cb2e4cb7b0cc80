import { control } from './call.js';
import { field } from './form.js';
import { make } from './make.js';
import { card, hint } from './section.js';
import { rows } from './rows.js';

const FIRST = '+233201234567';

/** The phone, any number's, beside the numbers that something was sent to. */
export const phone = {
	title: 'Phone',
	kinds: ['messages', 'inbox'],
	open(start) {
		let number = start.id || FIRST;
		const frame = make('iframe', { class: 'phone-frame', title: 'Phone' });
		const own = make('a', { target: '_blank', rel: 'noopener' }, 'Open it in a window of its own');
		const wanted = field({
			name: 'number',
			label: 'Number or email address',
			value: number,
			hint: 'A number with + and country code; any will do',
			attributes: { inputmode: 'email', spellcheck: 'false', autocapitalize: 'none' },
		});
		const chooser = make(
			'form',
			{ class: 'form line', novalidate: true },
			wanted.element,
			make('div', { class: 'buttons' }, make('button', { type: 'submit' }, 'Pick up')),
		);
		chooser.addEventListener('submit', (event) => {
			event.preventDefault();
			const written = wanted.read() ?? '';
			const text = written.includes('@') ? written : written.replace(/[\s().-]/g, '');
			if (!/^\+[1-9]\d{6,14}$/.test(text) && !/^[^\s@]+@[^\s@]+$/.test(text)) {
				wanted.say('Write a number with + and country code, e.g. +233201234567, or an email address.');
				wanted.input.focus();
				return;
			}
			location.hash = `#/phone/${encodeURIComponent(text)}`;
		});
		const recent = make('ul', { class: 'numbers' });
		const nobody = hint('Numbers and addresses that you send to appear here.');
		const show = rows(recent, ({ to }) => to, draw);
		const element = make(
			'div',
			{ class: 'phone-columns' },
			make('div', { class: 'phone-holder' }, frame, make('p', { class: 'hint' }, own)),
			make(
				'div',
				{},
				card(
					'Whose phone?',
					hint(
						'It shows what arrives by SMS, WhatsApp and voice call. Write back from it, or text STOP to opt out. Of an ' +
							'email address it shows what was mailed to it.',
					),
					chooser,
				),
				card('Sent to lately', recent, nobody),
			),
		);

		function move({ id }) {
			number = id || FIRST;
			const address = `/phone?number=${encodeURIComponent(number)}`;
			own.href = address;
			wanted.write(number);
			// Loading a frame by its address would add a step to the way back.
			if (frame.isConnected && frame.contentWindow) frame.contentWindow.location.replace(`${address}&embedded=1`);
			else frame.src = `${address}&embedded=1`;
			void refresh();
		}

		async function refresh() {
			const list = await control('GET', 'messages?limit=200');
			const numbers = Map.groupBy(list, ({ to }) => to);
			const items = [...numbers]
				.slice(0, 12)
				.map(([to, all]) => ({ to, text: all[0].subject ?? all[0].message, current: to === number }));
			show(items);
			nobody.hidden = items.length > 0;
		}
		move(start);
		return { element, refresh, move };
	},
};

function draw({ to, text, current }) {
	return make(
		'li',
		{},
		make(
			'a',
			{ href: `/#/phone/${encodeURIComponent(to)}`, 'aria-current': current ? 'true' : false },
			make('strong', { class: 'figures' }, to),
			make('span', { class: 'snippet', dir: 'auto' }, text),
		),
	);
}
