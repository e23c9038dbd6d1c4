/**
 * What a person said, such that a template says it and interpolates nothing: a space goes between adjacent braces.
 * What comes out holds no `{{`, whatever went in, so doing it twice changes nothing.
 */
export const neutraliseOpeners = (text: string): string => text.replace(/\{(?=\{)/g, '{ ')
