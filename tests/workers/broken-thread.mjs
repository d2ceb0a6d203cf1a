throw new Error('the maths library is missing');
