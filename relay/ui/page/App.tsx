import { useEffect, useState } from 'preact/hooks';
import { Confirmation } from '../../../ui/Dialog';
import { createLive, type Live, LiveContext } from '../../../ui/live';
import { errorMessage } from '../../../ui/request';
import { Toast } from '../../../ui/Toast';
import { type OwnToken, relay } from './client';
import { useCondition } from './condition';
import { Login } from './Login';
import { Shell } from './Shell';
import { topicsOf } from './useData';

/** How often a page that could not be opened tries again, in milliseconds. */
const RETRY_MS = 2_000;

type Session =
	| { readonly state: 'opening'; readonly problem: string }
	| { readonly state: 'out'; readonly notice: string }
	| { readonly state: 'in'; readonly token: OwnToken; readonly live: Live; readonly isNew: boolean };

/** The page: the login, or the sections. */
export function App() {
	const [session, setSession] = useState<Session>({ state: 'opening', problem: '' });
	const condition = useCondition();

	const show = (token: OwnToken, isNew: boolean) =>
		setSession({ state: 'in', token, live: createLive('v1/stream', topicsOf), isNew });
	const leave = (notice: string) =>
		setSession((last) => {
			if (last.state === 'in') last.live.stop();
			return { state: 'out', notice };
		});
	async function logOut(): Promise<void> {
		await relay.call('DELETE session');
		leave('You are logged out.');
	}

	useEffect(() => {
		let ended = false;
		let retry: ReturnType<typeof setTimeout> | undefined;
		async function open(): Promise<void> {
			try {
				const { token } = await relay.call('GET session');
				if (ended) return;
				if (token) show(token, false);
				else leave('');
			} catch (error) {
				if (ended) return;
				setSession({ state: 'opening', problem: errorMessage(error) });
				retry = setTimeout(() => void open(), RETRY_MS);
			}
		}
		void open();
		return () => {
			ended = true;
			clearTimeout(retry);
		};
	}, []);
	const isIn = session.state === 'in';
	useEffect(() => {
		if (isIn && condition === 'ended') leave('Your session ended, or its token was revoked. Log in again.');
	}, [isIn, condition]);

	return (
		<>
			{session.state === 'in' ? (
				<LiveContext.Provider value={session.live}>
					<Shell token={session.token} logOut={logOut} takesFocus={session.isNew} />
				</LiveContext.Provider>
			) : session.state === 'out' ? (
				<Login notice={session.notice} onLogin={(token) => show(token, true)} />
			) : (
				<main class="login" aria-busy={session.problem === ''}>
					<h1>Messaging Service relay</h1>
					<p role="status">{session.problem}</p>
				</main>
			)}
			<Confirmation />
			<Toast />
		</>
	);
}
