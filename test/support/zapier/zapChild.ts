import { respondToRequests } from '../requestProcess';
import { driveApp, methods } from './zapierTestApp';
import { zapRequest, type ZapEnding } from './zapProcess';

/** The process of {@link startZapProcess}. */
respondToRequests(async (request): Promise<ZapEnding> => {
	const { account, method, inputs } = zapRequest.parse(request);
	const began = Date.now();
	const ending = await driveApp(account).attempt(methods[method], inputs);
	return { ...ending, began, ended: Date.now(), pid: process.pid };
});
