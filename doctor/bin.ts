import { main } from './main';

main(process.argv.slice(2), process.env)
	.then((code) => {
		process.exitCode = code;
	})
	.catch((error: unknown) => {
		throw error;
	});
