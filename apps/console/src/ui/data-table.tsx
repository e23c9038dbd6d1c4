import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly label: string
  readonly cell: (row: Row) => ReactNode
  /** The classes of a cell, such as its colour. */
  readonly className?: (row: Row) => string
}

interface DataTableProps<Row> {
  readonly label: string
  readonly caption: string
  readonly rows: readonly Row[]
  readonly getKey: (row: Row) => string
  /** The first column names the row; the others hold figures. */
  readonly columns: readonly Column<Row>[]
  /** The size of the text and of the table. */
  readonly className?: string
}

/** A table of figures. It scrolls if needed, with the keyboard too. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, caption, rows, getKey, columns, className: size = 'text-sm' } = props
  return (
    <div tabIndex={0} role="region" aria-label={label} className={`overflow-auto ${size}`}>
      <table className="w-full tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th
                key={column.label}
                scope="col"
                className={`border-line text-soft border-b py-1.5 font-normal ${index === 0 ? 'text-start' : 'ps-4 text-end'}`}
              >
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={getKey(row)}>
              {columns.map(({ label: name, cell, className = () => '' }, index) =>
                index === 0 ? (
                  <th key={name} scope="row" className={`py-1 text-start font-normal ${className(row)}`}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} className={`py-1 ps-4 text-end whitespace-nowrap ${className(row)}`}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
