// Keeps what is marked as live up to date: it is loaded again every two seconds until the server says that it is finished.
"use strict";
const refresh = async () => {
  const live = document.querySelector("[data-live]");
  if (!live) return;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const now = page.getElementById("live");
    if (!answer.ok || !now) return location.reload();
    live.replaceWith(document.adoptNode(now));
  } catch {
    // The server is away; it may come back.
  }
  setTimeout(refresh, 2000);
};
setTimeout(refresh, 2000);
