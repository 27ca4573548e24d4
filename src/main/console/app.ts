import {html, render} from "lit"; import "./app/theme.css"; render(html`<p>hi</p>`, document.body);
