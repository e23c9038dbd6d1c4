/** Ends as a sentence does. */
export const asSentence = (text: string): string => (/[.!?…]["'”’)]*$/.test(text) ? text : `${text}.`)
