import "./app/theme.css";
import "./app/shell";
