import { useLayoutEffect, useRef } from 'preact/hooks';
import { Hint } from '../../../ui/Card';
import { Field, Form, type FormValues } from '../../../ui/Form';
import { type OwnToken, relay } from './client';

/** Properties of {@link Login}. */
export interface LoginProps {
	/** Why the user has to log in, or an empty text. */
	readonly notice: string;
	readonly onLogin: (token: OwnToken) => void;
}

/** Asks for an admin token. The relay answers with a cookie, and the page keeps no token. */
export function Login({ notice, onLogin }: LoginProps) {
	const main = useRef<HTMLElement>(null);
	useLayoutEffect(() => {
		document.title = 'Log in · Messaging Service relay';
		main.current?.querySelector('input')?.focus();
	}, []);

	async function logIn(values: FormValues): Promise<void> {
		const { token } = await relay.call('POST session', { body: values });
		onLogin(token);
	}
	return (
		<main class="login" ref={main}>
			<img src="ui/icon.svg" alt="" />
			<h1>Messaging Service relay</h1>
			<p role="status">{notice}</p>
			<section class="card">
				<Form action="Log in" submit={logIn} keep>
					<Field name="token" label="Admin token" kind="secret" required wide maxLength={200} placeholder="rly_…" />
				</Form>
			</section>
			<Hint>
				The relay printed the first admin token in its terminal, when it started for the first time. The page does not
				store the token.
			</Hint>
		</main>
	);
}
