/** Whether a URL leads to nothing but the machine on which it is opened. */
export const isLocalUrl = (url: string): boolean =>
  /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?([/?#]|$)/i.test(url)

/** Said wherever such a link is given to somebody. */
export const LOCAL_LINK_NOTE =
  'This link works on this machine only. To give it to others, set PARLEY_PUBLIC_URL to the address at which they reach this server, and restart the server.'
