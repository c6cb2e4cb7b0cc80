/** How long a worker may take for the jobs of one fetch, in seconds. After that the queue engine repeats them. */
export const JOB_SECONDS = 120;
