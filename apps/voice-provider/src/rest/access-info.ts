/** There is one person here, and they may do everything. */
export const ACCESS_INFO = {
  is_creator: true,
  creator_name: 'Local',
  creator_email: 'local@localhost',
  role: 'admin',
} as const

export const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)
