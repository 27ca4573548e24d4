import "./app/theme.css";
import "./pages/locks.css";
import "./app/shell";
