# The sandbox of Messaging Service, from its npm package. It needs no other file:
# docker build --tag messaging-service-sandbox - < sandbox.Dockerfile
FROM node:24.21.0-bookworm-slim AS install
WORKDIR /app
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund messaging-service-sandbox@0.1.0

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=install /app /app
RUN install --directory --owner=node --group=node /data
USER node
VOLUME /data
EXPOSE 4010
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:4010/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "node_modules/messaging-service-sandbox/bin/messaging-service-sandbox.js"]
CMD ["--host", "0.0.0.0", "--data", "/data/sandbox.db"]
