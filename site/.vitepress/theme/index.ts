import DefaultTheme from 'vitepress/theme-without-fonts';
import './theme.css';

/** The default theme with the fonts of the system and the colors of the other pages (`ui/theme.css`). */
export default DefaultTheme;
