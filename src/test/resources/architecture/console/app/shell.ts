import "../pages/now";
