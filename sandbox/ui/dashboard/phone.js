import { control } from './call.js';
import { field } from './form.js';
import { make } from './make.js';
import { card, hint } from './section.js';
import { rows } from './rows.js';

const FIRST = '+233201234567';

/** The simulated phone of any number, beside the recent recipients. */
export const phone = {
	title: 'Phone',
	kinds: ['messages', 'inbox'],
	open(start) {
		let number = start.id || FIRST;
		const frame = make('iframe', { class: 'phone-frame', title: 'Phone' });
		const newWindow = make('a', { target: '_blank', rel: 'noopener' }, 'Open in a new window');
		const wanted = field({
			name: 'number',
			label: 'Number or email address',
			value: number,
			hint: 'Any number with + and country code, such as +233201234567',
			attributes: { inputmode: 'email', spellcheck: 'false', autocapitalize: 'none' },
		});
		const chooser = make(
			'form',
			{ class: 'form line', novalidate: true },
			wanted.element,
			make('div', { class: 'buttons' }, make('button', { type: 'submit' }, 'Open phone')),
		);
		chooser.addEventListener('submit', (event) => {
			event.preventDefault();
			const typed = wanted.read() ?? '';
			const text = typed.includes('@') ? typed : typed.replace(/[\s().-]/g, '');
			if (!/^\+[1-9]\d{6,14}$/.test(text) && !/^[^\s@]+@[^\s@]+$/.test(text)) {
				wanted.say(
					'This is neither a phone number nor an email address. Enter a number with + and country code, or an email address.',
				);
				wanted.input.focus();
				return;
			}
			location.hash = `#/phone/${encodeURIComponent(text)}`;
		});
		const recent = make('ul', { class: 'numbers' });
		const none = hint('Numbers and addresses that you send to appear here.');
		const show = rows(recent, ({ to }) => to, draw);
		const element = make(
			'div',
			{ class: 'phone-columns' },
			make('div', { class: 'phone-holder' }, frame, make('p', { class: 'hint' }, newWindow)),
			make(
				'div',
				{},
				card(
					'Choose a phone',
					hint(
						'The phone shows SMS, WhatsApp messages and voice calls. Reply from it, or send STOP to opt out. ' +
							'Enter an email address to see its mailbox.',
					),
					chooser,
				),
				card('Recent recipients', recent, none),
			),
		);

		function move({ id }) {
			number = id || FIRST;
			const address = `/phone?number=${encodeURIComponent(number)}`;
			newWindow.href = address;
			wanted.write(number);
			// Setting the frame's src would add an entry to the browser's history.
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
			none.hidden = items.length > 0;
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
