/** What an address may say of the generation that another one is compared with. */
export const besideInAddress = ({
  beside,
}: Readonly<Record<string, unknown>>): { readonly beside?: number } =>
  Number.isSafeInteger(beside) && Number(beside) > 0 ? { beside: Number(beside) } : {}
