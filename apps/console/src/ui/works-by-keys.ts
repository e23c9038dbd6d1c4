/** Not so on a phone, where a field that is given the focus brings up a keyboard over half of the page. */
export const worksByKeys = (): boolean => window.matchMedia('(pointer: fine)').matches
