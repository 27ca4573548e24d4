// The styles of all pages are in this one style sheet: the bundler does not load the styles of pages that are loaded later.
import "./app/theme.css";
import "./pages/locks.css";
import "./pages/run.css";
import "./app/shell";
