/** The bundler of a page reads the style sheets that it imports. */
declare module '*.css';
