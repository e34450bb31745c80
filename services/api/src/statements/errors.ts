import { defineErrors } from '@berth/contract';

export const statementErrors = defineErrors({
  statement_not_due: {
    status: 404,
    message:
      'The statement of {month} is made on {date} or later, three days after the month has ended. Ask again then.',
  },
  no_statement: {
    status: 404,
    message:
      'There is no statement of {month}. Statements begin with the first month of usage, and each is made once all hours until its end are closed. GET /accounts/{accountId}/statements lists those that exist.',
  },
});
