//! Expressions, short and long.

use super::check;
use expect_test::expect;

#[test]
fn operators() {
    check(
        "1+2*3;a<- b->c;a < -1;#a->b; - -x;not(a)and b; @ x++#if p then a else b;",
        expect![[r#"
            1 + 2 * 3;
            a <- b -> c;
            a < -1;
            #a -> b;
            - -x;
            not(a) and b;
            @x ++ # if p then a else b;
        "#]],
    );
    check(
        "first_operand + second_operand * third + fourth_operand - fifth;
         x = first_function(a) and second_function(b) or third(c);
         \"some text\" ++ flatten({escaped(c) ++ separator : c in the_text}) ++ \"the end\";",
        expect![[r#"
            first_operand + second_operand * third
            + fourth_operand - fifth;
            x = first_function(a)
                and second_function(b) or third(c);
            "some text" ++ flatten(
              {escaped(c) ++ separator
               : c in the_text}) ++ "the end";
        "#]],
    );
}

#[test]
fn applications() {
    check(
        "g (x) (y);g x (y);(x=>x)(3);g#s;g\"s\"{x in y};wrap 7;a [i] [j];k(1,b:=5);",
        expect![[r#"
        g(x)(y);
        g x (y);
        (x => x)(3);
        g #s;
        g "s" {x in y};
        wrap 7;
        a[i][j];
        k(1, b := 5);
    "#]],
    );
    check(
        "some_function(first_argument, second_argument, third);
         some_function(another_function(first_argument, second_argument), third);
         a_function_with_a_name_of_some_length(argument, second);",
        expect![[r#"
            some_function(first_argument,
                          second_argument, third);
            some_function(another_function(
                            first_argument,
                            second_argument),
                          third);
            a_function_with_a_name_of_some_length(
              argument, second);
        "#]],
    );
}

#[test]
fn sequences() {
    check(
        "[1,2 , 3];[ ];[]int;[](int,int);[0:n];[p*p:n : p];[9:-1:-1];",
        expect![[r#"
            [1, 2, 3];
            [];
            [] int;
            [] (int, int);
            [0:n];
            [p * p : n : p];
            [9:-1:-1];
        "#]],
    );
    check(
        "[1111, 2222, 3333, 4444, 5555, 6666, 7777, 8888, 9999];
         [(1111, 2222), (3333, 4444), (5555, 6666), (7777, 8888)];
         [first_of_the_range + 1:last_of_the_range:the_step];",
        expect![[r#"
            [1111, 2222, 3333, 4444, 5555, 6666,
             7777, 8888, 9999];
            [(1111, 2222), (3333, 4444),
             (5555, 6666), (7777, 8888)];
            [first_of_the_range + 1
             : last_of_the_range : the_step];
        "#]],
    );
}

#[test]
fn pairs() {
    check(
        "1,(2,3) ,4;x=(1,2);((1,2),3);",
        expect![[r#"
        1, (2, 3), 4;
        x = (1, 2);
        ((1, 2), 3);
    "#]],
    );
    check(
        "first_component, second_component, third_component, (fourth, 5);",
        expect![[r#"
        first_component, second_component,
        third_component, (fourth, 5);
    "#]],
    );
}

#[test]
fn conditionals() {
    check(
        "if a then b else c;
         if a_condition then a_result else another_one;
         if a then b else if c then d else e;
         if a_condition then b else if another_condition then d else e;
         if a_condition and another_condition then some_result(x) else c;
         x = if a_condition then a_result else let y = 1 in y + another_one;",
        expect![[r#"
            if a then b else c;
            if a_condition then a_result
            else another_one;
            if a then b
            else if c then d
            else e;
            if a_condition then b
            else if another_condition then d
            else e;
            if a_condition and another_condition
            then some_result(x)
            else c;
            x = if a_condition then a_result
                else let y = 1 in y + another_one;
        "#]],
    );
}

#[test]
fn lets() {
    check(
        "let x=1 in x;let x = 1;in x;
         let a = 1; b = 2 in a + b;
         let a = first(x); b = second(y) in combined(a, b);
         let a = first_of(xs); b = second_of(ys) in combined(a, b);
         let a = 1; b = 2; c = 3 in a;
         let x = 1 in let y = 2 in some_function(x, y) + other;",
        expect![[r#"
            let x = 1 in x;
            let x = 1; in x;
            let a = 1; b = 2 in a + b;
            let a = first(x);
                b = second(y)
            in combined(a, b);
            let a = first_of(xs);
                b = second_of(ys)
            in combined(a, b);
            let a = 1;
                b = 2;
                c = 3
            in a;
            let x = 1
            in let y = 2
               in some_function(x, y) + other;
        "#]],
    );
}

#[test]
fn apply_to_each() {
    check(
        "{x in s};{x:x in s;y|x>0};{*print(x):x in s};
         {some_function(x, y) : x in first_sequence; y in t};
         {x : x in first_sequence; b in second_sequence | b};
         {{some_function(i, j) : i in index(width)} : j in index(height)};
         {x + y : x in first_sequence; y in second_sequence; z in t | x > z and y > z};",
        expect![[r#"
            {x in s};
            {x : x in s; y | x > 0};
            {* print(x) : x in s};
            {some_function(x, y)
             : x in first_sequence; y in t};
            {x : x in first_sequence;
                 b in second_sequence
             | b};
            {{some_function(i, j)
              : i in index(width)}
             : j in index(height)};
            {x + y
             : x in first_sequence;
               y in second_sequence; z in t
             | x > z and y > z};
        "#]],
    );
}

#[test]
fn functions_as_values() {
    check(
        "x=>x+1;(x,y)=>x;reduce((x,y)=>some_function(x, y),0,first_sequence);",
        expect![[r#"
        x => x + 1;
        (x, y) => x;
        reduce((x, y) => some_function(x, y), 0,
               first_sequence);
    "#]],
    );
}

#[test]
fn characters_and_strings() {
    check(
        "` ;`%;`\";\"a\nb\"++c;g(\"first\nsecond\", x);",
        expect![[r#"
        ` ;
        `%;
        `";
        "a
        b" ++ c;
        g("first
        second", x);
    "#]],
    );
}

#[test]
fn far_to_the_right_things_start_on_a_new_line() {
    check(
        "if first_condition(x) then y else let long = if a then b else let other = {if p(x) then x \
         else some_function(x) : x in s} in g(other) in long;",
        expect![[r#"
            if first_condition(x) then y
            else let long = if a then b
                            else let other =
                                       {
                                         if p(x)
                                         then x
                                         else
                                          some_function(
                                          x)
                                         : x in s}
                                 in g(other)
                 in long;
        "#]],
    );
}
